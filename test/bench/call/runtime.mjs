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

/** The milliseconds of processor time that this process has taken, on all of its threads. */
function taken() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const began = taken();
const { handler } = file.endsWith(".mjs") ? await import(file) : createRequire(file)(file);
const { statusCode, body } = await call();
const start = taken() - began;
const { invoices } = JSON.parse(body);
if (statusCode !== 200 || invoices.length !== 20) throw new Error(`Answered ${statusCode} ${body}`);

for (let count = 0; count < warmUp; count += 1) await call();
const warmBegan = taken();
for (let count = 0; count < calls; count += 1) await call();
const warm = (taken() - warmBegan) / calls;
const megabytes = process.memoryUsage().rss / 1_000_000;
writeSync(3, JSON.stringify({ start, warm, megabytes }));
process.exit(0);
