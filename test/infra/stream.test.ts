import { expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { streamFilters } from "../../infra/functions/stream-filters.ts";
import { useStack } from "./stack.ts";

const stack = await useStack();
const [table] = stack.all("AWS::DynamoDB::GlobalTable");
const stream = { "Fn::GetAtt": [table?.id, "StreamArn"] };
const ofStream = () =>
  stack.all("AWS::Lambda::EventSourceMapping").filter(({ properties }) => {
    return JSON.stringify(properties.EventSourceArn) === JSON.stringify(stream);
  });

test("the functions whose rows say so consume the table's stream, each once, and no other does", () => {
  const operationOf = new Map([...stack.functions()].map(([operation, { id }]) => [id, operation]));
  const reading = ofStream().map(({ properties }) => operationOf.get(properties.FunctionName.Ref));
  const wanted = Object.entries(functions).flatMap(([name, { readsStream }]) => (readsStream ? [name] : []));
  expect(reading.toSorted()).toEqual(wanted.toSorted());
});

test("a consumer begins at the oldest change, takes a hundred at a time, and keeps each record's order", () => {
  for (const { id, properties } of ofStream()) {
    expect(properties, id).toMatchObject({
      StartingPosition: "TRIM_HORIZON",
      BatchSize: 100,
      ParallelizationFactor: 1,
    });
    expect(properties.MaximumBatchingWindowInSeconds, id).toBeUndefined();
  }
});

test("a consumer that fails is called again for half of the day that the stream remembers, and then the place is reported", () => {
  const quarantine = stack.all("AWS::SQS::Queue").find(({ id }) => id.startsWith("StreamQuarantine"));
  for (const { id, properties } of ofStream()) {
    expect(properties.MaximumRecordAgeInSeconds, id).toBe(12 * 60 * 60);
    expect(properties.MaximumRetryAttempts, id).toBeUndefined();
    expect(properties.DestinationConfig.OnFailure.Destination, id).toEqual({ "Fn::GetAtt": [quarantine?.id, "Arn"] });
  }
});

test("a consumer names the items whose changes it is given, so that nothing feeds itself", () => {
  const idOf = (name: string) => stack.functions().get(name)?.id;
  for (const [name, filters] of Object.entries(streamFilters)) {
    const mapping = ofStream().find(({ properties }) => properties.FunctionName.Ref === idOf(name));
    const patterns = mapping?.properties.FilterCriteria.Filters.map((each: { Pattern: string }) =>
      JSON.parse(each.Pattern),
    );
    expect(patterns, name).toEqual(filters);
    for (const pattern of patterns) expect(pattern.dynamodb.Keys.sk.S.length, name).toBeGreaterThan(0);
    // Lambda takes no more filters of a mapping.
    expect(patterns.length, name).toBeLessThanOrEqual(5);
  }
});

test("the functions that may read the stream may read that of this table and no other", () => {
  const rights = [...stack.rights().values()]
    .flat()
    .filter(({ Action }) => [Action].flat().includes("dynamodb:GetRecords"));
  expect(rights).toHaveLength(ofStream().length);
  for (const { Resource } of rights) expect(Resource).toEqual(stream);
  const listing = [...stack.rights().values()].flat().filter(({ Action }) => Action === "dynamodb:ListStreams");
  expect(listing).toHaveLength(ofStream().length);
  for (const { Resource } of listing)
    expect(Resource).toEqual({ "Fn::Join": ["", [{ "Fn::GetAtt": [table?.id, "Arn"] }, "/stream/*"]] });
});
