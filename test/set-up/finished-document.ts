const text = globalThis as { OPENAPI_DOCUMENT?: string };

// The OpenAPI document that the bundler inserts, for handlers that tests call unbundled: made once for all files of a worker.
text.OPENAPI_DOCUMENT ??= (await import("../../infra/local/builds/finished-document.ts")).OPENAPI_DOCUMENT;
