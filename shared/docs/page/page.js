/* What is read and shown is the same at every address of this page: neither query nor fragment has a part in it. */
const documentPath = "/api/v1/openapi.json";

/** The address of the service in the guides' samples. */
const sampleOrigin = "http://localhost:3000";

const reference = document.getElementById("reference");

async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer;
}

/** The document as the page shows it: the guides are its introduction, and requests go to this origin. */
function withGuides(openapi, guides) {
  const introduction = guides.replaceAll(sampleOrigin, location.origin);
  const description = [openapi.info.description, introduction].filter(Boolean).join("\n\n");
  return { ...openapi, info: { ...openapi.info, description }, servers: [{ url: location.origin }] };
}

/** What Scalar would send of a parameter where the reader enters nothing; undefined where it has neither example nor default. */
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

function showGuidesInSidebar() {
  reference.querySelector('[data-sidebar-id$="/introduction"] button[aria-expanded="false"]')?.click();
}

function show(openapi) {
  reference.replaceChildren();
  window.Scalar.createApiReference(reference, {
    content: openapi,
    theme: "none",
    withDefaultFonts: false,
    localization: { locale: "en", translations: { navigation: { introduction: "Guides" } } },
    defaultOpenFirstTag: false,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    documentDownloadType: "none",
    authentication: { preferredSecurityScheme: Object.keys(openapi.components.securitySchemes)[0] },
    persistAuth: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
    onLoaded: showGuidesInSidebar,
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
  const [openapi, guides] = await Promise.all([
    read(documentPath).then((answer) => answer.json()),
    read(reference.dataset.guides).then((answer) => answer.text()),
  ]);
  turnOffOptionalParameters(openapi);
  show(withGuides(openapi, guides));
} catch (error) {
  showFault(error);
}
