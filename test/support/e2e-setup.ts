import "./node/hold-answers.ts";
import { reportAnswers } from "./openapi/report-answers.ts";

reportAnswers();
