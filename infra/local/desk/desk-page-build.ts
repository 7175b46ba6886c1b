import { type BuildOptions, build as bundle } from "esbuild";
import { root } from "../../support/root.ts";

/** Builds the page's script and style, in a tenth of a second. */
export async function pageFiles() {
  const options = {
    absWorkingDir: root,
    entryPoints: ["infra/local/desk/page/desk.tsx", "infra/local/desk/page/desk.css"],
    outdir: "desk",
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    write: false,
    logLevel: "silent",
  } as const satisfies BuildOptions;
  const { outputFiles } = await bundle(options);
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/** Allows only files of this origin, and no embedding in another page. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A mail may use its own styles and embedded pictures, but no script, no network and no origin. */
export const mailPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

/** The page, with the token that changes must send. */
export function renderPage(token: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="desk-token" content="${token}">
<title>Workforce desk</title>
<link rel="icon" href="/_local/desk.svg">
<link rel="stylesheet" href="/_local/desk.css">
</head>
<body>
<div id="desk"></div>
<script type="module" src="/_local/desk.js"></script>
</body>
</html>
`;
}

/** The page's icon, in its tab and its corner. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M7 10l4 13 5-10 5 10 4-13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
