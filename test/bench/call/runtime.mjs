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

function now() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1000 };
}

function since({ wall, cpu }) {
  const later = now();
  return { wall: later.wall - wall, cpu: later.cpu - cpu };
}

let mark = now();
const { handler } = file.endsWith(".mjs") ? await import(file) : createRequire(file)(file);
const init = since(mark);

mark = now();
const { statusCode, body } = await call();
const first = since(mark);
const { invoices } = JSON.parse(body);
if (statusCode !== 200 || invoices.length !== 20) throw new Error(`Answered ${statusCode} ${body}`);

const warm = { wall: 0, cpu: 0 };
if (calls > 0) {
  for (let count = 0; count < warmUp; count += 1) await call();
  mark = now();
  for (let count = 0; count < calls; count += 1) await call();
  Object.assign(warm, since(mark));
}
const { rss } = process.memoryUsage();
writeSync(3, JSON.stringify({ init, first, warm: { wall: warm.wall / calls, cpu: warm.cpu / calls }, rss }));
process.exit(0);
