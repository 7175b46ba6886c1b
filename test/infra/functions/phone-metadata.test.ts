import metadata from "libphonenumber-js/max/metadata";
import { expect, test } from "vitest";
import { phoneMetadataModule } from "../../../infra/functions/phone-metadata.ts";

test("D7: bundles read numbers by the whole metadata of the library", async () => {
  const bundled = await import(`data:text/javascript,${encodeURIComponent(phoneMetadataModule())}`);
  expect(bundled.default).toEqual(metadata);
  expect(Object.keys(bundled.default.countries).length).toBeGreaterThan(200);
});
