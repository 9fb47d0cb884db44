import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MIT = (copyright: string) => `${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

const BSD_2_CLAUSE = (copyright: string) => `${copyright}
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this
   list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice,
   this list of conditions and the following disclaimer in the documentation
   and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`

/** The licence texts of packages that name a licence without its text. */
const MISSING_TEXTS: Readonly<Record<string, string>> = {
  'abstract-logging': MIT('Copyright (c) James Sumners'),
  'pg-types': MIT('Copyright (c) 2014 Brian M. Carlson'),
  pgpass: MIT('Copyright (c) 2013-2016 Hannes Hörl'),
  'yoga-layout': MIT('Copyright (c) Facebook, Inc. and its affiliates.'),
}

/** Notices for code that is compiled into the binary of a package and not covered by its own licence file. */
const COMPILED_IN: Readonly<Record<string, readonly string[]>> = {
  'jq-wasm': [
    `Its binary is jq (https://jqlang.org):\n\n${MIT('jq is copyright (C) 2012 Stephen Dolan')}`,
    `and in jq Oniguruma (https://github.com/kkos/oniguruma):\n\n${BSD_2_CLAUSE('Copyright (c) 2002-2021 K.Kosako <kkosako0@gmail.com>')}`,
    'and in jq decNumber, Copyright (c) 1995-2005 International Business Machines Corporation and others, under the ICU License (ICU 1.8.1 and\nlater); its text is in the file COPYING of jq.',
    'and in jq dtoa.c and g_fmt.c by David M. Gay, Copyright (c) 1991, 1996, 2000, 2001 by Lucent Technologies: permission to use, copy,\nmodify, and distribute without fee, as is and without any warranty; their notices in full are in the file COPYING of jq.',
  ],
}

interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly text: string
}

/** `dist/THIRD-PARTY-NOTICES.txt`: every package with code in the bundle, and the text that its licence requires. */
export function noticesOf(modules: readonly string[], root: string): string {
  const packages = [...bundledFolders(modules)].map((folder) => readPackage(join(root, folder)))
  const names = (each: BundledPackage) => `${each.name} ${each.version}`
  const distinct = [...new Map(packages.map((each) => [names(each), each])).values()]
  const sorted = distinct.toSorted((one, other) => (names(one) < names(other) ? -1 : 1))
  const list = sorted.map((each) => `  ${names(each)}  ${each.licence}`)
  const texts = sorted.map((each) => `${'-'.repeat(78)}\n${names(each)} (${each.licence})\n\n${each.text}\n`)
  return `crm-cli holds code of these packages, changed by the build, which joins their files, under licences of their own:\n\n${list.join('\n')}\n\n${texts.join('\n')}`
}

/** Folders such as `node_modules/ink/node_modules/chalk`, of the paths of modules. */
export function bundledFolders(modules: readonly string[]): ReadonlySet<string> {
  return new Set(modules.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const own = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const text = own.length > 0 ? own : [MISSING_TEXTS[name]]
  if (typeof license !== 'string' || text[0] === undefined)
    throw new Error(`no licence, or no text of it, in ${folder}`)
  return { name, version, licence: license, text: [...text, ...(COMPILED_IN[name] ?? [])].join('\n\n') }
}
