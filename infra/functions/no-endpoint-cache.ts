/**
 * Replaces the SDK's cache of discovered endpoints in the bundles, where it would take 8 KB each. The clients make one, but look
 * into it only if the environment enables endpoint discovery, which no function's does.
 */
export class EndpointCache {}
