import { type CountryCode, getCountries, parsePhoneNumberFromString as parse } from "libphonenumber-js/core/es6";
import { parsePhoneNumberFromString as parseWithKinds } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";
import { parsePhoneNumberFromString as parseWithoutKinds } from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import { expect, test } from "vitest";
import { phoneMetadataModule, smallPhoneMetadata } from "../../../infra/functions/phone-metadata.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { PatternSampler } from "./pattern-sampler.ts";

type NumberingPlan = readonly [string, string, string, readonly number[], ...unknown[]];
type Small = Parameters<typeof parse>[2];

const small = smallPhoneMetadata() as unknown as Small & object;
const plans = Object.entries(metadata.countries as unknown as Record<CountryCode, NumberingPlan>);
const kindsPlace = 11;
/** Of each pattern. */
const samples = usualOrFull(2, 6);

/** Numbers as users type them, of a country and of each kind that its plan knows, and some that are of none. */
function samplesOf(plan: NumberingPlan): string[] {
  const [callingCode, , anyNumber, lengths, , prefix] = plan;
  const kinds = (plan[kindsPlace] as readonly ([string] | 0)[] | undefined) ?? [];
  const patterns = [anyNumber, ...kinds.flatMap((kind) => (kind === 0 || !kind[0] ? [] : [kind[0]]))];
  const sampler = new PatternSampler(callingCode);
  const ofKinds = patterns.flatMap((pattern) => Array.from({ length: samples }, () => sampler.sample(pattern)));
  const others = lengths.flatMap((length) => Array.from({ length: samples }, () => sampler.sample(`\\d{${length}}`)));
  const nationals = [...ofKinds, ...others];
  return nationals.flatMap((national) => [`+${callingCode}${national}`, `${prefix || ""}${national}`]);
}

test("D7: the small metadata of the bundles reads and sorts numbers of every country and kind as the library's do", async () => {
  const bundled = await import(`data:text/javascript,${encodeURIComponent(phoneMetadataModule())}`);
  expect(bundled.default).toEqual(small);
  const kinds = new Set<string>();
  for (const [country, plan] of plans) {
    for (const typed of samplesOf(plan)) {
      const options = { defaultCountry: country as CountryCode, extract: false };
      const [ours, theirs] = [parse(typed, options, small), parseWithoutKinds(typed, options)];
      const shown = [ours?.number, ours?.country, ours?.isPossible(), ours?.getPossibleCountries()];
      expect({ typed, shown }).toEqual({
        typed,
        shown: [theirs?.number, theirs?.country, theirs?.isPossible(), theirs?.getPossibleCountries()],
      });
      const kind = parseWithKinds(ours?.number ?? "")?.getType();
      expect({ typed, kind: parse(ours?.number ?? "", small)?.getType() }).toEqual({ typed, kind });
      kinds.add(`${kind}`);
    }
  }
  expect([...kinds].sort()).toMatchInlineSnapshot(`
    [
      "FIXED_LINE",
      "FIXED_LINE_OR_MOBILE",
      "MOBILE",
      "PAGER",
      "PERSONAL_NUMBER",
      "PREMIUM_RATE",
      "SHARED_COST",
      "TOLL_FREE",
      "UAN",
      "VOICEMAIL",
      "VOIP",
      "undefined",
    ]
  `);
}, 60_000);

test("D7: the library's example of every country is a mobile number by the small metadata", () => {
  const countries = getCountries(small).filter((country) => country in examples);
  expect(countries.length).toBeGreaterThan(200);
  for (const country of countries) {
    const kind = parse(examples[country] ?? "", country, small)?.getType();
    expect({ country, kind }).toEqual({ country, kind: expect.stringMatching(/^(?:FIXED_LINE_OR_)?MOBILE$/) });
  }
});
