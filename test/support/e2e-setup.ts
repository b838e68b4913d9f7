import "./node/hold-answers.ts";
import { reportResponses } from "./openapi/report-responses.ts";

reportResponses();
