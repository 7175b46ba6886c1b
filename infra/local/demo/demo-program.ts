import { loadDemo } from "./demo.ts";

// Loads the demo data into the table that the settings name. It is a program of its own because the local machine would
// never free the memory that an import takes.
await loadDemo();
