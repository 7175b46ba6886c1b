/** A value as JSON in ASCII, because some queues refuse characters that SQS takes, and SQS itself refuses a few. */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
