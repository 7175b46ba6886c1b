import { handler } from "../../../functions/jobs/get-job.ts";
import { getJob } from "../../../shared/contract/jobs.ts";
import { jobLine } from "../../support/records/records.ts";
import { testSingleRecord } from "../single-record.ts";

testSingleRecord({
  operation: getJob,
  handler,
  type: "job",
  line: jobLine,
  roles: ["operator"],
  change: { title: "Night driver" },
  ofLargestId: { number: 4_001 },
});
