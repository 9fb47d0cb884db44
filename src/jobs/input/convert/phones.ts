import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { CrmError } from '../../../core/errors.ts'

/** A telephone number in the form of E.164; undefined for a text that is none, or that has an extension. */
export type ReadPhone = (text: string) => string | undefined

/** `country`: of numbers without a country code; undefined: there are none. */
export function phoneReader(country: string | undefined, flag: string): ReadPhone {
  const code = country?.toUpperCase()
  if (code !== undefined && !isSupportedCountry(code)) {
    throw new CrmError('usage', `${flag}: ${JSON.stringify(country)} is no country`, {
      hint: 'expected its two letters (ISO 3166), such as phone(CH)',
    })
  }
  return (text) => {
    const number = parsePhoneNumberFromString(text, { ...countryOf(code), extract: false })
    return number?.isValid() && number.ext === undefined ? number.number : undefined
  }
}

function countryOf(code: CountryCode | undefined): { readonly defaultCountry?: CountryCode } {
  return code === undefined ? {} : { defaultCountry: code }
}
