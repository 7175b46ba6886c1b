import { expect, test } from "vitest";
import { findStage, requireTimeZone } from "../../infra/stages.ts";

test("a stage that does not exist is refused in a sentence that names those there are", () => {
  expect(() => findStage("production")).toThrow(
    'There is no stage "production"; the stages are dev, staging, prod, local.',
  );
});

test("a business time zone that nobody knows stops the synth with what to set", () => {
  const stage = { ...findStage("dev"), businessTimeZone: "Europe/Lundon" };
  expect(() => requireTimeZone(stage)).toThrow(/"Europe\/Lundon" of the stage dev is no IANA time zone/);
});
