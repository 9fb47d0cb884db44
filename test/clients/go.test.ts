import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isInstalled } from '../../scripts/clients/conformance/run-suite.ts'
import { type Language, readLanguages } from '../../scripts/clients/conformance/suite.ts'
import { tempFolder } from '../harness/home.ts'
import { examplesIn, withService } from './examples.ts'

const PACKAGE = fileURLToPath(new URL('../../clients/go', import.meta.url))
const run = promisify(execFile)

const isThere = isInstalled(readLanguages().go as Language)
const EXAMPLES = examplesIn(join(PACKAGE, 'README.md'), 'go')
const PRINTED = [
  /^con_\w+ Ada Lovelace\n1 1200\.50\n$/,
  /^1 S2\n$/,
  /^\/stage .*\nthere is no such contact\n$/,
  /^no_signature\n401\n$/,
]

/** A module of its own that requires the client. */
function moduleFolder(code: string): string {
  const folder = join(tempFolder(), 'example')
  mkdirSync(folder)
  const lines = ['module example', 'go 1.19', 'require crmclient v0.0.0', `replace crmclient => ${PACKAGE}`]
  writeFileSync(join(folder, 'go.mod'), `${lines.join('\n\n')}\n`)
  writeFileSync(join(folder, 'main.go'), code)
  return folder
}

describe.skipIf(!isThere)(`the Go client${isThere ? '' : ' (skipped: Go 1.19 or later is not installed)'}`, () => {
  test.each(EXAMPLES.map((code, at) => [at + 1, code] as const))('example %i of README.md runs', async (at, code) => {
    const cwd = moduleFolder(code)
    await withService(async (service) => {
      const { stdout } = await run('go', ['run', '.'], {
        cwd,
        env: { ...process.env, ...service, WEBHOOK_SECRET: 'whsec_c2VjcmV0' },
      })
      expect(stdout).toMatch(PRINTED[at - 1] ?? /never/)
    })
  })

  test('gofmt and go vet have nothing to say about the client, its driver and the examples', async () => {
    const folders = [PACKAGE, fileURLToPath(new URL('../../clients/conformance/drivers/go', import.meta.url))]
    for (const cwd of [...folders, ...EXAMPLES.map(moduleFolder)]) {
      expect(spawnSync('gofmt', ['-l', '.'], { cwd, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stdout: '',
        stderr: '',
      })
      expect(spawnSync('go', ['vet', './...'], { cwd, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    }
  })

  test('the compiler finds a misspelt member and an amount that is a float', async () => {
    const code = `package main

import "crmclient"

func main() {
	_ = crmclient.NewDeal{Name: "Engine", Stag: "Lead"}
	_ = crmclient.NewDeal{Name: "Engine", Amount: crmclient.Set(5.5)}
}
`
    const { status, stderr } = spawnSync('go', ['build', '-o', '/dev/null', '.'], {
      cwd: moduleFolder(code),
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stderr).toMatch(/main\.go:6:[\s\S]*Stag[\s\S]*main\.go:7:/)
  })

  test('a context ends a wait, and its error says so', async () => {
    const code = `package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"crmclient"
)

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	crm, err := crmclient.New(server.URL, "key")
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	started := time.Now()
	_, err = crm.Contacts.Create(ctx, crmclient.NewContact{Name: crmclient.Set("Ada")})
	fmt.Println(errors.Is(err, crmclient.ErrInterrupted), errors.Is(err, context.DeadlineExceeded), time.Since(started) < 10*time.Second)
}
`
    const { stdout } = await run('go', ['run', '.'], { cwd: moduleFolder(code) })
    expect(stdout).toBe('true true true\n')
  })
})
