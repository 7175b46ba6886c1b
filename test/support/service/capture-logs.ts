import { vi } from "vitest";

/** Every line the service has logged in this test file; kept off the terminal. */
export const loggedLines: string[] = [];

vi.spyOn(process.stdout, "write").mockImplementation((line) => loggedLines.push(String(line)) > 0);

/** The additions to the service's own metrics since the lines were last cleared: a metric's name, amount and dimensions. */
export function countedMetrics(): Record<string, unknown>[] {
  const lines = loggedLines.filter((line) => line.startsWith('{"_aws":'));
  return lines.map((line) => {
    const { _aws, ...members } = JSON.parse(line);
    return members;
  });
}
