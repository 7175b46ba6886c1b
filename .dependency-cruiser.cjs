/** Which folder may import which (see functions/README.md, project layout). A rule's comment is what its breaker reads. */
const product = "^(functions|shared)/";
const sdk = "^node_modules/@aws-sdk/";

/**
 * The walls: each folder, and those beside it that it may import. In shared/, the table is below, and people, who have
 * notifications and records, above; `http` knows who calls and whether the session lives.
 */
const walls = {
  shared: {
    contract: [],
    run: ["contract"],
    table: ["run", "contract"],
    messages: ["run", "contract"],
    tokens: ["table", "run", "contract"],
    records: ["messages", "table", "run", "contract"],
    notifications: ["records", "tokens", "table", "run", "contract"],
    people: ["notifications", "records", "tokens", "messages", "table", "run", "contract"],
    http: ["people", "tokens", "run", "contract"],
  },
  infra: {
    support: [],
    document: ["support"],
    functions: ["support", "document"],
    stages: ["functions"],
    constructs: ["functions", "stages"],
    runtime: ["support"],
    local: ["runtime", "support", "document", "functions", "stages", "tools/cli", "tools/import"],
    tools: ["support", "document", "functions", "stages", "runtime", "local"],
  },
};

const wallRules = Object.entries(walls).flatMap(([layer, folders]) =>
  Object.entries(folders).map(([folder, others]) => ({
    name: `wall-${layer.replace("/", "-")}-${folder}`,
    comment: `Of what stands in ${layer}/, ${layer}/${folder} imports ${[folder, ...others].join(", ")} alone.`,
    severity: "error",
    from: { path: `^${layer}/${folder}/` },
    to: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/(${[folder, ...others].join("|")})/` },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...wallRules,
    {
      name: "no-cycles",
      comment: "A cycle means that two modules are one, or that a third one is missing.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-folder-cycles",
      comment:
        "Arrows between folders go one way: a file of this folder belongs into another, or a third folder is missing.",
      severity: "error",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphans",
      comment: "Nobody imports this file and it imports nothing: delete it or use it.",
      severity: "error",
      // Bundles take three of them by aliases, and browsers the others from the documentation page.
      from: {
        orphan: true,
        pathNot: [
          "^infra/functions/(lambda-credentials|no-(endpoint-cache|event-streams))\\.ts$",
          "^infra/document/page/(guides|reference)\\.js$",
          "^infra/local/desk/call-as\\.js$",
        ],
      },
      to: {},
    },
    {
      name: "imports-resolve",
      comment: "The import leads nowhere, or to a package that package.json does not name.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "functions-apart",
      comment:
        "A function imports shared/ and what lies beside it: what two areas of functions use belongs into shared/.",
      severity: "error",
      from: { path: "^functions/([^/]+)/" },
      to: { path: "^(functions|infra|test|events)/", pathNot: "^functions/$1/" },
    },
    {
      name: "shared-stands-alone",
      comment: "shared/ is what functions and infrastructure stand on; it knows neither of them.",
      severity: "error",
      from: { path: "^shared/" },
      to: { path: "^(functions|infra|test|events)/" },
    },
    {
      name: "runtime-knows-no-service",
      comment: "infra/runtime runs any CDK app: what is this service's belongs into infra/local, which hands it over.",
      severity: "error",
      from: { path: "^infra/runtime/" },
      to: { path: "^(functions|shared|events)/|^infra/[^/]+\\.ts$" },
    },
    {
      name: "tests-are-not-imported",
      comment: "Only tests import tests.",
      severity: "error",
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
    {
      name: "product-runs-without-dev-packages",
      comment: "What is deployed may import the types of a development package, never its code.",
      severity: "error",
      from: { path: product },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "contract-knows-nobody",
      comment: "shared/contract imports itself and valibot.",
      severity: "error",
      from: { path: "^shared/contract/" },
      to: { pathNot: "^(shared/contract/|node_modules/valibot/)" },
    },
    {
      name: "client-is-in-no-function",
      comment: "shared/client is a package of its own: what is deployed does not import it.",
      severity: "error",
      from: { path: product, pathNot: "^shared/client/" },
      to: { path: "^shared/client/" },
    },
    {
      name: "client-depends-on-nothing",
      comment: "shared/client runs in browsers: it imports itself, the pauses of retries, and types of the contract.",
      severity: "error",
      from: { path: "^shared/client/" },
      to: { pathNot: "^shared/(client/|run/backoff\\.ts$)", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "http-words-in-shared-http",
      comment: "Only shared/http imports middy.",
      severity: "error",
      from: { path: product, pathNot: "^shared/http/" },
      to: { path: "^node_modules/@middy/" },
    },
    {
      name: "token-words-in-shared-tokens",
      comment: "Only shared/tokens imports jose.",
      severity: "error",
      from: { path: product, pathNot: "^shared/tokens/" },
      to: { path: "^node_modules/jose/" },
    },
    {
      name: "dynamodb-words-in-shared-table",
      comment: "Only shared/table imports the DynamoDB clients.",
      severity: "error",
      from: { path: product, pathNot: "^shared/table/" },
      to: { path: `${sdk}(client|lib|util)-dynamodb/` },
    },
    {
      name: "message-clients-in-shared-messages",
      comment: "Only shared/messages, and the worker that sends pushes, import the clients of SES, SNS and SQS.",
      severity: "error",
      from: { path: product, pathNot: "^(shared/messages/|functions/workers/push\\.ts$)" },
      to: { path: `${sdk}client-(ses|sns|sqs)/` },
    },
    {
      name: "secrets-client-in-one-file",
      comment: "Only shared/tokens/secrets.ts reads secrets.",
      severity: "error",
      from: { path: product, pathNot: "^shared/tokens/secrets\\.ts$" },
      to: { path: `${sdk}client-secrets-manager/` },
    },
  ],
  options: {
    // What the benchmarks measure against, and what lints the document, have packages of their own, installed when needed.
    exclude: { path: "^test/(bench/rivals/|system/document/\\w+\\.mjs$)" },
    doNotFollow: { path: "^node_modules/" },
    tsConfig: { fileName: "tsconfig.json" },
    // Type imports are imports: a rule that only holds at run time lets the words through.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
