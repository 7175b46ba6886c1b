import { loadDemo } from "./demo.ts";

// Loads the demo data into the table that the settings name. A program of its own: an import takes memory that the local machine
// would keep for good.
await loadDemo();
