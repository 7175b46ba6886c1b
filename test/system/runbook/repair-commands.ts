/** The project's commands that the repair role runs, as is shown of each, and the runbook may therefore say. */
export const repairCommands = ["recount", "import", "history"];
