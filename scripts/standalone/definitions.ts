import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crmVersion } from './commit.ts'

interface Published {
  readonly out: string
  /** The address below which the files of `out` are published. */
  readonly url: string
}

/** Places of an archive in the formula: of the system, and of its processor. */
const BREW_PLACES = {
  'darwin-arm64': ['on_macos', 'on_arm'],
  'darwin-x64': ['on_macos', 'on_intel'],
  'linux-arm64': ['on_linux', 'on_arm'],
  'linux-x64': ['on_linux', 'on_intel'],
} as const

/** Writes `crm.rb` for Homebrew and `crm.json` for Scoop, for those archives that are in the folder. */
export function writeDefinitions(published: Published): void {
  const formula = brewFormula(published)
  if (formula !== undefined) writeFileSync(join(published.out, 'crm.rb'), formula)
  const manifest = scoopManifest(published)
  if (manifest !== undefined) writeFileSync(join(published.out, 'crm.json'), manifest)
}

interface Archive {
  readonly url: string
  readonly sha256: string
}

function archiveOf(target: string, { out, url }: Published): Archive | undefined {
  const name = `crm-${crmVersion()}-${target}.tar.gz`
  const file = join(out, name)
  if (!existsSync(file)) return undefined
  return { url: `${url}/${name}`, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
}

function brewFormula(published: Published): string | undefined {
  const places = Object.entries(BREW_PLACES).flatMap(([target, place]) => {
    const archive = archiveOf(target, published)
    return archive ? [{ place, archive }] : []
  })
  if (places.length === 0) return undefined
  const blocks = places.map(({ place: [system, processor], archive: { url, sha256 } }) =>
    [
      `  ${system} do`,
      `    ${processor} do`,
      `      url "${url}"`,
      `      sha256 "${sha256}"`,
      '    end',
      '  end',
      '',
    ].join('\n'),
  )
  return `# Made by \`npm run standalone\`. Not tried: Homebrew did not run where this was made, and neither did programs for macOS.
class Crm < Formula
  desc "CRM administration from the command-line, with the CRM service itself"
  homepage "${published.url}"
  version "${crmVersion()}"
  license "MIT"

${blocks.join('\n')}
  def install
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/crm"
    zsh_completion.install "completions/_crm"
    fish_completion.install "completions/crm.fish"
    libexec.install Dir["*"]
    bin.install_symlink libexec/"crm"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/crm --version")
  end
end
`
}

function scoopManifest(published: Published): string | undefined {
  const target = 'win32-x64'
  const archive = archiveOf(target, published)
  if (!archive) return undefined
  const manifest = {
    '##': 'Made by npm run standalone. Not tried: neither Scoop nor programs for Windows ran where this was made.',
    version: crmVersion(),
    description: 'CRM administration from the command line, with the CRM service itself',
    homepage: published.url,
    license: 'MIT',
    architecture: {
      '64bit': { url: archive.url, hash: archive.sha256, extract_dir: `crm-${crmVersion()}-${target}` },
    },
    bin: 'crm.cmd',
  }
  return `${JSON.stringify(manifest, null, 4)}\n`
}
