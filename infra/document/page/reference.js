/* What is read and shown is the same at every address of this page: neither query nor fragment has a part in it. */
const documentPath = "/api/v1/openapi.json";

/** The name that the client's samples install it by. */
const clientPackage = "@acme/workforce";

const reference = document.getElementById("reference");

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer;
}

/** The box of client libraries shows the client of this service. */
function installationOf({ version }) {
  const description =
    "The typed client: no dependency, renews tokens, walks lists, repeats safely. [How to get and use it](/docs#client)";
  return [{ lang: "typescript", description, source: `npm install PATH/acme-workforce-${version}.tgz` }];
}

/** Events stand below a heading of their own, and requests go to this origin. */
function prepare(openapi) {
  for (const methods of Object.values(openapi.webhooks ?? {})) {
    for (const event of Object.values(methods)) delete event.tags;
  }
  for (const tag of openapi.tags) tag["x-displayName"] = tag.name[0].toUpperCase() + tag.name.slice(1);
  for (const methods of Object.values(openapi.paths)) {
    for (const operation of Object.values(methods)) operation["x-codeSamples"] = [clientSample(operation)];
  }
  const info = { ...openapi.info, "x-scalar-sdk-installation": installationOf(openapi.info) };
  return { ...openapi, info, servers: [{ url: location.origin }] };
}

/** A call by the typed client. Its method has the operation's name, and takes all fields as one object. */
function clientSample({ operationId, parameters = [], requestBody }) {
  const method = operationId.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const [example] = Object.values(requestBody?.content?.["application/json"]?.examples ?? {});
  const [fields = {}] = Object.values(example?.value ?? {});
  const path = Object.fromEntries(parameters.filter((each) => each.in === "path").map(({ name }) => [name, 1]));
  const given = { ...path, ...fields };
  const text = Object.keys(given).length > 0 ? JSON.stringify(given, null, 2).replaceAll(/"(\w+)":/g, "$1:") : "";
  const source = `import { createClient } from "${clientPackage}";

const api = createClient({ baseUrl: "${location.origin}" });
await api.${method}(${text});`;
  return { lang: "typescript", label: "Client", source };
}

/** The value that Scalar would send of a parameter if the reader enters none; undefined if it has neither example nor default. */
function exampleOf({ example, examples = {}, schema = {} }, { schemas }) {
  const [given = { value: example }] = Object.values(examples);
  const { examples: ofSchema = [], default: usual } = schemas[schema.$ref?.split("/").at(-1)] ?? schema;
  return given.value ?? ofSchema[0] ?? usual;
}

/** Optional parameters with examples would be sent with every request: readers turn them on. */
function turnOffOptionalParameters({ paths, components }) {
  const holders = [components, ...Object.values(paths).flatMap((path) => Object.values(path))];
  for (const parameter of holders.flatMap(({ parameters = [] }) => Object.values(parameters))) {
    const value = parameter.required ? undefined : exampleOf(parameter, components);
    if (value === undefined) continue;
    delete parameter.example;
    parameter.examples = { default: { value, "x-disabled": true } };
  }
}

/** A fragment names what to scroll to; Scalar stops at one that is no percent-encoding. */
function dropInvalidFragment() {
  try {
    decodeURIComponent(location.hash);
  } catch {
    history.replaceState(null, "", location.pathname);
  }
}

function show(openapi) {
  reference.replaceChildren();
  const scheme = Object.keys(openapi.components.securitySchemes)[0];
  const configuration = {
    content: openapi,
    theme: "none",
    withDefaultFonts: false,
    defaultOpenFirstTag: false,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    documentDownloadType: "none",
    authentication: { preferredSecurityScheme: scheme },
    persistAuth: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
  };
  const shown = window.Scalar.createApiReference(reference, configuration);
  document.addEventListener("bearer", ({ detail: token }) => {
    const authentication = { preferredSecurityScheme: scheme, securitySchemes: { [scheme]: { token } } };
    shown.updateConfiguration({ ...configuration, authentication });
  });
}

function showFault(error) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = `The documentation cannot be shown: ${error.message}. Reload the page to try again.`;
  reference.replaceChildren(notice);
}

dropInvalidFragment();
try {
  const openapi = await read(documentPath).then((answer) => answer.json());
  turnOffOptionalParameters(openapi);
  show(prepare(openapi));
} catch (error) {
  showFault(error);
}
