import { describe, expect, test } from 'vitest'
import { publicTargets } from '../../../src/service/delivery/target-rules.ts'

const isAllowed = publicTargets()

describe('a public service rejects', () => {
  test.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['link-local, with the metadata service of clouds', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['unique-local', 'fc00::1', 'fd12:3456::1', 'fd00:ec2::254'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['unspecified and this network', '0.0.0.0', '0.1.2.3', '::'],
    ['multicast, reserved and broadcast', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
    [
      'documentation and benchmarks',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '2001:db8::1',
      '3fff::1',
    ],
    [
      'IPv4 in IPv6',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      '64:ff9b::a00:1',
      '2002:7f00:1::',
    ],
    ['Teredo and site-local', '2001::1', 'fec0::1'],
    ['what is no address', '', 'localhost'],
  ])('%s', (_kind, ...addresses) => {
    expect(addresses.filter(isAllowed)).toEqual([])
  })
})

test('a public service delivers to public addresses', () => {
  const addresses = [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
  ]
  expect(addresses.filter((address) => !isAllowed(address))).toEqual([])
})
