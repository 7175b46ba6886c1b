// Stands in for Lambda's runtime: loads a function, calls it once, then as often as it is told, and tells what it took.
// Plain JavaScript: stripping types would be part of what is measured.
import { writeSync } from "node:fs";
import { createRequire } from "node:module";

const { file, event, calls, warmUp } = JSON.parse(process.env.BENCH);
const text = JSON.stringify(event);
const context = { awsRequestId: "bench", functionName: "bench", getRemainingTimeInMillis: () => 10_000 };

function call() {
  return handler(JSON.parse(text), context);
}

let began = performance.now();
const { handler } = file.endsWith(".mjs") ? await import(file) : createRequire(file)(file);
const init = performance.now() - began;

began = performance.now();
const { statusCode, body } = await call();
const first = performance.now() - began;
const { invoices } = JSON.parse(body);
if (statusCode !== 200 || invoices.length !== 20) throw new Error(`Answered ${statusCode} ${body}`);

let warm = 0;
if (calls > 0) {
  for (let count = 0; count < warmUp; count += 1) await call();
  began = performance.now();
  for (let count = 0; count < calls; count += 1) await call();
  warm = (performance.now() - began) / calls;
}
const { rss } = process.memoryUsage();
writeSync(3, JSON.stringify({ init, first, warm, rss }));
process.exit(0);
