// This module is evaluated for each test file of a process, its imports once: they wrap `fetch`.
import "./node/send-again.ts";
import { forgetServices } from "./node/hold-answers.ts";
import { reportResponses } from "./openapi/report-responses.ts";

forgetServices();
reportResponses();
