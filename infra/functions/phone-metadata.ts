import { brotliCompressSync } from "node:zlib";
import metadata from "libphonenumber-js/max/metadata";

type NumberingPlans = Readonly<Record<string, readonly unknown[]>>;

/** Positions in the library's arrays that only concern the display of a number: formats, rule of the prefix. */
const displayPlaces: readonly number[] = [4, 6];

/**
 * The numbering plans with the types of their numbers, without the data for display: 106 KB of 157. All checks of
 * numbers share them, so no bundle contains them twice (D7).
 */
export function smallPhoneMetadata() {
  const { countries, nonGeographic, ...rest } = metadata as unknown as Record<
    "countries" | "nonGeographic",
    NumberingPlans
  >;
  return { ...rest, countries: withoutDisplay(countries), nonGeographic: withoutDisplay(nonGeographic) };
}

/** The source of a module with the small metadata, compressed to a third. Bundles load it instead of the library's. */
export function phoneMetadataModule(): string {
  const text = brotliCompressSync(JSON.stringify(smallPhoneMetadata())).toString("base64");
  return `import { brotliDecompressSync } from "node:zlib";
export default JSON.parse(brotliDecompressSync(Buffer.from("${text}", "base64")).toString());
`;
}

function withoutDisplay(plans: NumberingPlans): NumberingPlans {
  const entries = Object.entries(plans).map(([name, plan]): [string, readonly unknown[]] => [
    name,
    plan.map((value, place) => (displayPlaces.includes(place) ? 0 : value)),
  ]);
  return Object.fromEntries(entries);
}
