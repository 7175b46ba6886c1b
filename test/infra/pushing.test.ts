import { expect, test } from "vitest";
import { findStage } from "../../infra/stages/stages.ts";
import { type Statement, type SynthesizedStack, stackOf, useStack } from "./stack.ts";

/** The rights on SNS in a stack that are for resources by name. */
function pushRights({ rights }: SynthesizedStack): Statement[] {
  return [...rights().values()]
    .flat()
    .filter(
      ({ Action, Resource }) => Resource !== undefined && [Action].flat().some((each) => each?.startsWith("sns:")),
    );
}

test("D29: pushes go to the stage's own platform applications and the endpoints under them, and nowhere else", async () => {
  const applications = Object.values(findStage("local").platformApplications ?? {}).toSorted();
  expect(applications).toHaveLength(3);
  expect(pushRights(await useStack())).toEqual([
    { Effect: "Allow", Action: "sns:CreatePlatformEndpoint", Resource: applications },
    {
      Effect: "Allow",
      Action: ["sns:DeleteEndpoint", "sns:Publish", "sns:SetEndpointAttributes"],
      Resource: applications.map((arn) => `${arn.replace(":app/", ":endpoint/")}/*`),
    },
  ]);
});

test("D29: where the stage names no platform application, nothing may be pushed at all", () => {
  const dev = findStage("dev");
  expect(dev.platformApplications).toBeUndefined();
  expect(pushRights(stackOf("dev"))).toEqual([]);
});
