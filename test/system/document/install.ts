import { installLocked } from "../../gates/install.ts";

/** Installs the linters and generators into `.local/document`; gives its `node_modules`. */
export function installDocumentTools(): string {
  return installLocked("test/system/document", "document");
}

// The gate installs first, to distinguish a machine without access to npm's packages from a document that is wrong.
if (import.meta.main) installDocumentTools();
