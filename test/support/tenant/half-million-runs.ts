/** SQL that fills the tables of a workspace object with 500,000 runs, for the test and the benchmark of lists. */

export const RUNS = 500_000;
/** When the first run was admitted, minus one step. */
export const FIRST_RUN_MS = Date.UTC(2026, 0, 1);
/** Time between two runs. */
export const RUN_STEP_MS = 5_000;

export const createdAtMs = (run: number): number => FIRST_RUN_MS + RUN_STEP_MS * run;

/**
 * A month of one tenant: three of four runs are of one workflow, the rest of forty; most completed, five of a thousand
 * failed; five hundred at the very end are live. `wf_rare` ran once long ago, `wf_dawn` only at first, and so did
 * `partial_success`.
 *
 * Labels are the worst case: `emb_main` is carried by four of five runs, `nightly` by half, `bat_block` by 10,000 in a
 * row, every other client reference by one run alone, and `user_thin` by just too few of each chunk for the chunk to
 * keep them.
 */
export const FILL_RUNS = `
  INSERT INTO run_workflows (workflow_id) VALUES ('wf_main'), ('wf_rare'), ('wf_dawn');
  INSERT INTO run_workflows (workflow_id)
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
    SELECT 'wf_' || i FROM n;
  INSERT INTO runs (seq, run_id, workflow, workflow_id, workflow_name, workflow_version, status,
      progress, created_at_ms, completed_at_ms, phase, slot, is_live, fresh_from, batch, schedule,
      retry_of, client_reference, embed, end_user_id)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(RUNS)}),
      chosen AS (SELECT i, CASE WHEN i = 200000 THEN 2 WHEN i <= 90 THEN 3
        WHEN i % 4 > 0 THEN 1 ELSE 4 + (i / 4) % 40 END AS w FROM n)
    SELECT i, printf('run_%032d', i), w,
      CASE w WHEN 1 THEN 'wf_main' WHEN 2 THEN 'wf_rare' WHEN 3 THEN 'wf_dawn'
        ELSE 'wf_' || (w - 4) END, 'Test', 1,
      CASE WHEN i > ${String(RUNS - 500)} THEN iif(i % 2, 'running', 'pending')
        WHEN i < 2000 AND i % 10 = 0 THEN 'partial_success'
        WHEN i % 1000 < 5 THEN 'failed' WHEN i % 1000 = 7 THEN 'cancelled' ELSE 'completed' END,
      100, ${String(FIRST_RUN_MS)} + ${String(RUN_STEP_MS)} * i, NULL,
      iif(i > ${String(RUNS - 500)}, 1, 2), 0, i > ${String(RUNS - 500)}, i,
      CASE WHEN i BETWEEN 300001 AND 310000 THEN 'bat_block'
        WHEN i % 500 = 0 THEN 'bat_' || (i % 5000) END,
      iif(i % 3 = 0, 'sch_often', NULL),
      iif(i % 1000 = 5, printf('run_%032d', i - 5), NULL),
      iif(i % 2 = 0, 'nightly', iif(i % 10 = 1, 'ref_' || i, NULL)),
      iif(i % 5 > 0, 'emb_main', NULL),
      iif(i % 34 = 0, 'user_thin', iif(i % 50 = 0, 'user_7', NULL))
    FROM chosen;`;
