/** @jsxImportSource react */
import { createRoot } from "react-dom/client";
import { ReactFlow } from "@xyflow/react";
import { useState } from "react";
import "@xyflow/react/dist/base.css";

function Editor() {
  const [n] = useState(0);
  return (
    <main data-svc-root="">
      <ReactFlow nodes={[]} edges={[]} minZoom={n} />
    </main>
  );
}

createRoot(document.body).render(<Editor />);
