import { setTimeout } from 'node:timers/promises'
import { readRecord } from './call-record.ts'
import { type ClientRun, startClient } from './processes.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

export interface Life {
  readonly run: ClientRun
  readonly isKilled: boolean
  readonly isServiceReplaced: boolean
}

export interface LifeOptions {
  readonly crm: string
  readonly args: readonly string[]
  readonly isToBeKilled: boolean
}

/** One process of the client, from its start to its own end or to a kill -9 that hits it anywhere. */
export async function live(world: World, random: Random, { crm, args, isToBeKilled }: LifeOptions): Promise<Life> {
  const { child, done } = startClient([crm, ...args], world.env, world.callLog)
  let isKilled = false
  const kill = async () => {
    await killMoment(world, random)
    if (child.exitCode === null) isKilled = child.kill('SIGKILL')
  }
  const isServiceReplaced = random.chance(0.1)
  const replace = async () => {
    await Promise.race([world.proxy.requests(random.between(1, 60)), done])
    await world.replaceService()
  }
  const disturbed = isServiceReplaced ? replace() : undefined
  if (isToBeKilled) await Promise.race([kill(), done])
  const run = await done
  await disturbed
  world.disk.follow(readRecord(world.callLog, world.stateFolder))
  // A process may have ended by itself in the moment of the kill.
  return { run, isKilled: isKilled && run.exit === 'SIGKILL', isServiceReplaced }
}

/** Some while it starts, reads and plans; most in the midst of sending. */
async function killMoment({ proxy }: World, random: Random): Promise<void> {
  if (random.chance(0.3)) {
    await setTimeout(random.between(0, 600))
    return
  }
  await proxy.requests(random.between(1, 120))
  if (random.chance(0.7)) await setTimeout(random.between(0, 8))
}
