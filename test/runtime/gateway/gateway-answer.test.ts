import { expect, test } from "vitest";
import { gatewayAnswer } from "../../../infra/runtime/gateway/gateway-answer.ts";

const overhead = JSON.stringify({ statusCode: 200, body: "" }).length;
const answerOf = (length: number, character = "x") =>
  gatewayAnswer({ statusCode: 200, body: character.repeat(length) }).status;

test("a result above 6 MB is a 500, as Lambda refuses it: its bytes count, and its quotes twice", () => {
  const most = 6_291_556 - overhead;
  expect([answerOf(most), answerOf(most + 1)]).toEqual([200, 500]);
  expect([answerOf(most / 2, '"'), answerOf(most / 2 + 1, '"')]).toEqual([200, 500]);
  expect([answerOf(most / 3, "€"), answerOf(most / 3 + 1, "€")]).toEqual([200, 500]);
});
