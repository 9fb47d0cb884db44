import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { CRM } from '../e2e/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

const run = promisify(execFile)
const client = (name: string) => fileURLToPath(new URL(`../../clients/${name}`, import.meta.url))
const crm = JSON.stringify([process.execPath, CRM])

const PYTHON = `
import os, sys
from crm_client import Client, start_sandbox
try:
    start_sandbox(["missing.yaml"], crm=${crm})
except RuntimeError as error:
    print(error)
with start_sandbox(["seed.yaml"], "--set", "contacts.a.name=Grace", crm=${crm}) as sandbox:
    with Client(sandbox.base_url, sandbox.api_key) as client:
        print(next(iter(client.contacts.list()))["name"], sandbox.env["WHO"])
`

const RUBY = `
require "crm_client"
begin
  CrmClient::Sandbox.start(seed: ["missing.yaml"], crm: ${crm})
rescue RuntimeError => error
  puts error.message
end
CrmClient::Sandbox.start("--set", "contacts.a.name=Grace", seed: ["seed.yaml"], crm: ${crm}) do |sandbox|
  CrmClient::Client.open(sandbox.base_url, sandbox.api_key) { |client| puts "#{client.contacts.list.first["name"]} #{sandbox.env["WHO"]}" }
end
`

const GO = `package main

import (
	"context"
	"fmt"
	"log"

	"crmclient"
)

func main() {
	crm := []string{${crm.slice(1, -1)}}
	_, err := crmclient.StartSandbox(crmclient.SandboxOptions{Seed: []string{"missing.yaml"}, Crm: crm})
	fmt.Println(err)
	flags := []string{"--set", "contacts.a.name=Grace"}
	sandbox, err := crmclient.StartSandbox(crmclient.SandboxOptions{Seed: []string{"seed.yaml"}, Flags: flags, Crm: crm})
	if err != nil {
		log.Fatal(err)
	}
	defer sandbox.Stop()
	client, err := sandbox.Client()
	if err != nil {
		log.Fatal(err)
	}
	client.Contacts.List(context.Background(), crmclient.ContactsQuery{})(func(contact crmclient.Contact, err error) bool {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(contact.Name, sandbox.Env["WHO"])
		return true
	})
}
`

const PROGRAMS = {
  python: (folder: string) => {
    writeFileSync(join(folder, 'main.py'), PYTHON)
    return {
      words: ['/usr/bin/python3', 'main.py'],
      env: { PYTHONPATH: client('python'), PYTHONWARNINGS: 'error', PYTHONDONTWRITEBYTECODE: '1' },
    }
  },
  ruby: (folder: string) => {
    writeFileSync(join(folder, 'main.rb'), RUBY)
    return { words: ['ruby', '-w', '-I', join(client('ruby'), 'lib'), 'main.rb'], env: {} }
  },
  go: (folder: string) => {
    const lines = ['module example', 'go 1.19', 'require crmclient v0.0.0', `replace crmclient => ${client('go')}`]
    writeFileSync(join(folder, 'go.mod'), `${lines.join('\n\n')}\n`)
    writeFileSync(join(folder, 'main.go'), GO)
    return { words: ['go', 'run', '.'], env: { GOFLAGS: '-mod=mod', GOCACHE: join(folder, 'cache') } }
  },
}

describe.each(['python', 'ruby', 'go'] as const)('the sandbox of the client in %s', (name) => {
  test.skipIf(!isInstalled(readLanguages()[name] as Language))('is seeded, and leaves nothing', async () => {
    const [folder, TMPDIR] = [join(tempFolder(), 'example'), tempFolder()]
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'seed.yaml'),
      'version: 1\ncontacts: { a: { name: A } }\nenv: { WHO: "${contacts.a.name}" }\n',
    )
    const { words, env: more } = PROGRAMS[name](folder)
    const env = { ...emptyHome({ TMPDIR }), PATH: process.env.PATH, ...more }
    const { stdout } = await run(words[0] ?? '', words.slice(1), { cwd: folder, env })
    const [failure, ...found] = stdout
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('  ') && !line.startsWith('crm:'))
    expect(failure).toMatch(/^crm sandbox start failed: missing\.yaml:1:1: no such file/)
    expect(found).toEqual(['Grace Grace'])
    expect(readdirSync(TMPDIR).filter((each) => each.startsWith('crm-sandbox'))).toEqual([])
  })
})
