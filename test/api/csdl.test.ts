import { expect, test } from 'vitest'
import { objectsOfCsdl } from '../../src/api/csdl.ts'

// CSDL JSON 4.01 of OASIS: aliases, inherited members, annotations inside and outside of what they are about.

const KEY = { $Kind: 'EntityType', $Key: ['Code'], Code: { $Type: 'Edm.Int32' } }

test('entity sets with one key that is a number or a GUID are objects, with their fields and references', () => {
  const objects = objectsOfCsdl({
    $Version: '4.01',
    $EntityContainer: 'shop.Container',
    shop: {
      $Alias: 'self',
      Base: { $Kind: 'EntityType', $Key: ['ID'], ID: { $Type: 'Edm.Guid', '@Core.ComputedDefaultValue': true } },
      Order: {
        ...{ $Kind: 'EntityType', $BaseType: 'self.Base' },
        Title: {},
        Status: { $Nullable: true, '@Org.OData.Validation.V1.AllowedValues': [{ Value: 'open' }, { Value: 'done' }] },
        Sum: { $Type: 'Edm.Decimal', $DefaultValue: '0' },
        Total: { $Type: 'Edm.Decimal' },
        Tags: { $Collection: true },
        Maker: { $Type: 'Edm.Int32', $Nullable: true },
        'Maker@Common.Text': 'not a property',
        made_by: { $Kind: 'NavigationProperty', $Type: 'self.Maker', $ReferentialConstraint: { Maker: 'Code' } },
        lines: { $Kind: 'NavigationProperty', $Collection: true, $Type: 'self.Line' },
      },
      Maker: KEY,
      Line: { $Kind: 'EntityType', $Key: ['Code', 'At'], Code: { $Type: 'Edm.Int32' }, At: { $Type: 'Edm.Int32' } },
      Country: { $Kind: 'EntityType', $Key: ['Code'], Code: {} },
      $Annotations: {
        'shop.Order/Total': { '@Core.Computed': true },
        'shop.Order/Title': { '@Common.Label': 'Title!' },
      },
      Container: {
        $Kind: 'EntityContainer',
        Orders: { $Collection: true, $Type: 'self.Order', $NavigationPropertyBinding: { lines: 'Lines' } },
        Makers: { $Collection: true, $Type: 'self.Maker' },
        Lines: { $Collection: true, $Type: 'self.Line' },
        Countries: { $Collection: true, $Type: 'self.Country' },
        Me: { $Type: 'self.Maker' },
        Count: { $Kind: 'ActionImport', $Action: 'self.Count' },
      },
    },
  })
  expect(objects.map(({ name, id }) => [name, id])).toEqual([
    ['Orders', 'ID'],
    ['Makers', 'Code'],
  ])
  const field = { type: 'Edm.String', read_only: false, required: false, to: null, label: null, options: [] }
  expect(objects[0]?.fields).toEqual([
    { ...field, name: 'ID', type: 'Edm.Guid' },
    { ...field, name: 'Title', required: true, label: 'Title!' },
    { ...field, name: 'Status', options: ['open', 'done'] },
    { ...field, name: 'Sum', type: 'Edm.Decimal' },
    { ...field, name: 'Total', type: 'Edm.Decimal', read_only: true },
    { ...field, name: 'Maker', type: 'Edm.Int32', to: 'Makers' },
  ])
})
