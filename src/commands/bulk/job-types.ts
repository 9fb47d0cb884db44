import type { Context } from '../../context.ts'

/** The room of jobs is known here by what the Context gives. */
export type Jobs = Awaited<ReturnType<Context['jobs']>>

export type JobPaths = ReturnType<Jobs['find']>

export type RunTerms = Parameters<Jobs['run']>[1]

export type JobRun = Awaited<ReturnType<Jobs['run']>>

export type JobAccount = JobRun['account']

export type JobRecheck = JobRun['recheck']

export type ImportRequest = Parameters<Jobs['makeImport']>[0]

export type MadeImport = Awaited<ReturnType<Jobs['makeImport']>>

export type MadeJob = Extract<MadeImport, { readonly is: 'made' }>['job']

export type DamagedJob = Extract<Awaited<ReturnType<Jobs['stateOrDamage']>>, { readonly state: 'damaged' }>

export type RowTerms = ReturnType<Jobs['rowTerms']>

export type JobState = Awaited<ReturnType<Jobs['state']>>

export type JobCounts = JobRest['counts']

export type JobRest = ReturnType<Jobs['rest']>

export type Forecast = Awaited<ReturnType<Jobs['forecast']>>

export type LeftOut = MadeJob['leftOut'][number]
