import { execFile, spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'
import { examplesIn, withService } from './examples.ts'

const RUBY = '/usr/bin/ruby'
const PACKAGE = fileURLToPath(new URL('../../clients/ruby', import.meta.url))
const RBS = 'require "rbs"; require "rbs/cli"; RBS::CLI.new(stdout: $stdout, stderr: $stderr).run(ARGV)'
const run = promisify(execFile)

const isThere = isInstalled(readLanguages().ruby as Language)
const hasRbs = isThere && spawnSync(RUBY, ['-e', 'require "rbs"']).status === 0

const EXAMPLES = examplesIn(join(PACKAGE, 'README.md'), 'ruby')

describe.skipIf(!isThere)(`the Ruby client${isThere ? '' : ' (skipped: Ruby is not installed)'}`, () => {
  test.each(EXAMPLES.map((code, at) => [at + 1, code] as const))('example %i of README.md runs', async (_, code) => {
    const file = join(tempFolder(), 'example.rb')
    writeFileSync(file, code)
    await withService(async (env) => {
      const { stderr } = await run(RUBY, ['-w', '-I', join(PACKAGE, 'lib'), file], { env })
      expect(stderr).toBe('')
    })
  })

  test('a Rack application receives what the service signed', async () => {
    const [code = ''] = EXAMPLES.filter((example) => example.includes('RECEIVE'))
    const call = `
require "stringio"
body = %({"type":"contact.created","timestamp":"2026-03-01T09:30:00Z","data":{"id":"con_1"}})
sent_at = Time.now.to_i.to_s
signature = [OpenSSL::HMAC.digest("SHA256", "secret", "evt_1.#{sent_at}.#{body}")].pack("m0")
ENV["WEBHOOK_SECRET"] = "whsec_#{["secret"].pack("m0")}"
env = { "HTTP_WEBHOOK_ID" => "evt_1", "HTTP_WEBHOOK_TIMESTAMP" => sent_at, "HTTP_WEBHOOK_SIGNATURE" => "v1,#{signature}" }
puts RECEIVE.call(env.merge("rack.input" => StringIO.new(body))).first
puts RECEIVE.call(env.merge("rack.input" => StringIO.new("#{body} "))).first
`
    const file = join(tempFolder(), 'receive.rb')
    writeFileSync(file, code + call)
    const { stdout } = await run(RUBY, ['-w', '-I', join(PACKAGE, 'lib'), file])
    expect(stdout).toBe('contact.created\ncon_1\n204\nsignature_mismatch\n401\n')
  })

  test('the gem is built, installed and loaded', async () => {
    const folder = tempFolder()
    cpSync(PACKAGE, join(folder, 'ruby'), { recursive: true })
    const options = {
      cwd: join(folder, 'ruby'),
      env: { PATH: process.env.PATH, HOME: folder, GEM_HOME: join(folder, 'gems') },
    }
    await run('gem', ['build', 'crm_client.gemspec', '--output', 'crm_client.gem'], options)
    await run('gem', ['install', '--local', '--no-document', 'crm_client.gem'], options)
    const { stdout } = await run(RUBY, ['-e', 'require "crm_client"; print CrmClient::Client.name'], options)
    expect(stdout).toBe('CrmClient::Client')
  })
})

describe.skipIf(!hasRbs)(`the types in RBS${hasRbs ? '' : ' (skipped: the gem rbs is not installed)'}`, () => {
  test('are valid, and name the methods that the client has', async () => {
    await run(RUBY, ['-e', RBS, '--', '-r', 'bigdecimal', '-I', 'sig', 'validate', '--silent'], { cwd: PACKAGE })
    const compare = `
require "crm_client"
env = RBS::Environment.from_loader(RBS::EnvironmentLoader.new.tap { |l| l.add(library: "bigdecimal"); l.add(path: Pathname("sig")) }).resolve_type_names
builder = RBS::DefinitionBuilder.new(env: env)
%w[Contacts Deals Notes Pipelines Stages Webhooks Records].each do |name|
  typed = builder.build_instance(RBS::TypeName.new(name: name.to_sym, namespace: RBS::Namespace.parse("::CrmClient")))
  own = typed.methods.select { |_, method| method.defs.any? { |d| d.implemented_in&.name == name.to_sym } }.keys
  puts name unless own.sort == CrmClient.const_get(name).public_instance_methods(false).sort
end
`
    const { stdout } = await run(RUBY, ['-r', 'rbs', '-I', 'lib', '-e', compare], { cwd: PACKAGE })
    expect(stdout).toBe('')
  })
})
