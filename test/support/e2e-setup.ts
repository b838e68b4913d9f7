import { reportAnswers } from "./openapi/report-answers.ts";

reportAnswers();
