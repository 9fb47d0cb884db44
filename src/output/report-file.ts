import { replaceFile } from '../files/replace-file.ts'

/** Wholly or not at all. CrmError `machine` if it cannot be written. */
export async function writeReportFile(path: string, text: string): Promise<void> {
  await replaceFile(path, async ({ stream }) => {
    stream.write(text)
  })
}
