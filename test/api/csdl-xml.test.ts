import { expect, test } from 'vitest'
import { objectsOfCsdl } from '../../src/api/csdl.ts'
import { csdlOfXml } from '../../src/api/csdl-xml.ts'

const DOCUMENT = `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">
  <edmx:Reference Uri="https://vocabularies.test/Core.xml"><edmx:Include Namespace="Core.V1" Alias="Core"/></edmx:Reference>
  <edmx:DataServices>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="com.shop.model" Alias="self">
      <EnumType Name="Color"><Member Name="Red"/></EnumType>
      <EntityType Name="Base" Abstract="true">
        <Key><PropertyRef Name="ID"/></Key>
        <Property Name="ID" Type="Edm.Guid" Nullable="false"/>
      </EntityType>
      <EntityType Name="Order" BaseType="self.Base">
        <Property Name="Title" Type="Edm.String" Nullable="false" MaxLength="80"/>
        <Property Name="Units" Type="Edm.Int32" Nullable="false" DefaultValue="1"/>
        <Property Name="Sum" Type="Edm.Decimal" Scale="2"/>
        <Property Name="Due" Type="Edm.Date"/>
        <Property Name="SentAt" Type="Edm.DateTimeOffset"><Annotation Term="Core.Computed"/></Property>
        <Property Name="Paid" Type="Edm.Boolean"><Annotation Term="Core.Computed" Bool="false"/></Property>
        <Property Name="Seen" Type="Edm.Boolean"><Annotation Term="Core.Computed" Path="Paid"/></Property>
        <Property Name="State" Type="Edm.String">
          <Annotation Term="Validation.AllowedValues">
            <Collection>
              <Record><PropertyValue Property="Value" String="open"/></Record>
              <Record><PropertyValue Property="Value"><String>done &amp; paid</String></PropertyValue></Record>
            </Collection>
          </Annotation>
        </Property>
        <Property Name="Tags" Type="Collection(Edm.String)"/>
        <Property Name="MakerCode" Type="Edm.Int32"/>
        <NavigationProperty Name="maker" Type="self.Maker" Partner="orders">
          <ReferentialConstraint Property="MakerCode" ReferencedProperty="Code"/>
        </NavigationProperty>
        <NavigationProperty Name="parts" Type="Collection(self.Base)"/>
      </EntityType>
      <EntityType Name="Maker">
        <Key><PropertyRef Name="Code"/></Key>
        <Property Name="Code" Type="Edm.Int32" Nullable="false"/>
        <NavigationProperty Name="orders" Type="Collection(self.Order)" Partner="maker"/>
      </EntityType>
      <EntityType Name="Line">
        <Key><PropertyRef Name="Code"/><PropertyRef Name="At"/></Key>
        <Property Name="Code" Type="Edm.Int32" Nullable="false"/>
        <Property Name="At" Type="Edm.Int32" Nullable="false"/>
      </EntityType>
      <Annotations Target="self.Order/Title"><Annotation Term="Common.Label" String="Title!"/></Annotations>
    </Schema>
    <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="com.shop">
      <EntityContainer Name="Container">
        <EntitySet Name="Orders" EntityType="com.shop.model.Order"/>
        <EntitySet Name="OldOrders" EntityType="com.shop.model.Order">
          <NavigationPropertyBinding Path="maker" Target="OldMakers"/>
        </EntitySet>
        <EntitySet Name="Lines" EntityType="self.Line"/>
        <EntitySet Name="OldMakers" EntityType="com.shop.model.Maker"/>
        <EntitySet Name="Makers" EntityType="com.shop.model.Maker"/>
        <Singleton Name="Me" Type="self.Maker"/>
      </EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`

test('XML lists entity sets, fields and references as JSON does', () => {
  const csdl = csdlOfXml(DOCUMENT)
  const objects = typeof csdl === 'string' ? [] : objectsOfCsdl(csdl)
  expect(objects.map(({ name, id }) => [name, id])).toEqual([
    ['Orders', 'ID'],
    ['OldOrders', 'ID'],
    ['OldMakers', 'Code'],
    ['Makers', 'Code'],
  ])
  const field = { type: 'Edm.String', read_only: false, required: false, to: null, label: null, options: [] }
  expect(objects[0]?.fields).toEqual([
    { ...field, name: 'ID', type: 'Edm.Guid', required: true },
    { ...field, name: 'Title', required: true, label: 'Title!' },
    { ...field, name: 'Units', type: 'Edm.Int32' },
    { ...field, name: 'Sum', type: 'Edm.Decimal' },
    { ...field, name: 'Due', type: 'Edm.Date' },
    { ...field, name: 'SentAt', type: 'Edm.DateTimeOffset', read_only: true },
    { ...field, name: 'Paid', type: 'Edm.Boolean' },
    { ...field, name: 'Seen', type: 'Edm.Boolean' },
    { ...field, name: 'State', options: ['open', 'done & paid'] },
    { ...field, name: 'MakerCode', type: 'Edm.Int32', to: 'Makers' },
  ])
  expect(objects[1]?.fields).toContainEqual({ ...field, name: 'MakerCode', type: 'Edm.Int32', to: 'OldMakers' })
})

const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')

test.each([
  ['broken', DOCUMENT.replace('</EntityType>', ''), 'is not well-formed at line 45, column'],
  ['cut', DOCUMENT.slice(0, 900), 'is not well-formed at line'],
  ['a page', '<html><body>Log in</body></html>', 'is no CSDL of OData 4'],
  ['OData 2', DOCUMENT.replace('Version="4.0"', 'Version="1.0"'), 'is no CSDL of OData 4'],
  ['deep', `${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}`, 'is nested too deep'],
  [
    'an outside entity',
    `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`,
    'is not well-formed at line 1',
  ],
  ['entities of entities', `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l20;</a>`, 'is not well-formed at line 1'],
])('XML that is none of CSDL is named: %s', (_, text, trouble) => {
  expect(csdlOfXml(text)).toContain(`its XML ${trouble}`)
})
