/** The page of an embedded workflow. */
import { render } from "preact";

function Widget() {
  return <main data-svc-root="" />;
}

render(<Widget />, document.body);
