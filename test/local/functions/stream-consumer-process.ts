import { appendFileSync } from "node:fs";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { startStreamPump } from "../../../infra/local/functions/stream-pump.ts";
import { openTableStream } from "../../../infra/local/functions/table-stream.ts";

// A process that consumes a stream until it is settled, or until it is given a number that kills it.
const [endpoint = "", tableName = "", placesDirectory = "", seenFile = "", deadly = ""] = process.argv.slice(2);
const client = new DynamoDBStreamsClient({ endpoint, region: "eu-west-2", credentials: localCredentials });
const mapping = {
  functionName: "one",
  streamArn: "arn:aws:dynamodb:eu-west-2:000000000000:table/Records/stream/local",
  batchSize: 2,
  reportsItemFailures: true,
  filters: [],
};

const pump = startStreamPump({
  stream: await openTableStream(client, tableName),
  placesDirectory,
  consumers: [
    {
      mapping,
      invoke: async ({ Records }) => {
        const numbers = Records.map(({ dynamodb }) => dynamodb?.NewImage?.number?.N);
        appendFileSync(seenFile, `${numbers.join()}\n`);
        if (numbers.includes(deadly)) process.kill(process.pid, "SIGKILL");
      },
    },
  ],
});
await pump.settled(30_000);
await pump.stop();
client.destroy();
