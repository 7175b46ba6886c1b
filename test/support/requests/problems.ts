import { expect } from "vitest";
import type { TestAnswer } from "./call.ts";

/** Asserts that an answer is a problem document (RFC 9457) with that status and code. */
export function expectProblem(answer: TestAnswer, status: number, code: string | readonly string[]): void {
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
  const codes = typeof code === "string" ? [code] : code;
  expect(codes).toContain(answer.body.code);
  expect(answer.body).toMatchObject({
    type: `urn:workforce:problem:${answer.body.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.stringMatching(/^\//),
    request_id: expect.any(String),
  });
  if (status === 429) expectWait(answer);
}

/** Asserts that the detail says how long to wait: the minutes of `Retry-After`, or above two hours its hours, rounded up. */
function expectWait({ headers, body }: TestAnswer): void {
  expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  const minutes = Number(headers["retry-after"]) / 60;
  const wait = minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : `${minutes} min`;
  expect(body.detail).toMatch(new RegExp(`; try again in ${wait}$`));
}
