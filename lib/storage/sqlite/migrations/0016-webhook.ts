/**
 * Where the ends of jobs are sent, and what became of it. A row waits until its job ends; the transaction of an end that is
 * among its events makes it due. `host` is that of the URL, with its port; `due` is in Unix milliseconds.
 */
export const WEBHOOK = `
CREATE TABLE webhook (
  seq INTEGER NOT NULL PRIMARY KEY REFERENCES job (seq) ON DELETE CASCADE,
  url TEXT NOT NULL,
  host TEXT NOT NULL,
  events TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_status INTEGER,
  due INTEGER,
  CHECK ((due IS NOT NULL) = (state = 'pending'))
) STRICT;

CREATE INDEX webhook_due ON webhook (host, due) WHERE due IS NOT NULL;

CREATE TRIGGER job_end_is_due AFTER UPDATE OF status ON job
WHEN old.completed IS NULL AND new.completed IS NOT NULL
BEGIN
  UPDATE webhook SET state = 'pending', due = new.completed * 1000
  WHERE seq = new.seq AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = new.status);
END;
`;
