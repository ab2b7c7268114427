/**
 * Who asked for how many images: `charge` counts against the allowance of a day, `usage` is what came of it. The images of
 * a job are charged when it is accepted; those of one that never started are given back. The token of a job is the name
 * under which it came.
 */
export const USAGE = `
ALTER TABLE job ADD COLUMN token TEXT NOT NULL DEFAULT '';

CREATE TABLE charge (
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  images INTEGER NOT NULL CHECK (images >= 0),
  PRIMARY KEY (token, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
  token TEXT NOT NULL,
  day INTEGER NOT NULL,
  provider TEXT NOT NULL,
  images INTEGER NOT NULL CHECK (images >= 0),
  failed INTEGER NOT NULL CHECK (failed >= 0),
  tokens INTEGER CHECK (tokens >= 0),
  PRIMARY KEY (token, day, provider)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER job_is_charged AFTER INSERT ON job WHEN new.status = 'queued'
BEGIN
  INSERT INTO charge (token, day, images) VALUES (new.token, new.created / 86400, new.outputs)
  ON CONFLICT (token, day) DO UPDATE SET images = images + excluded.images;
END;

CREATE TRIGGER job_is_not_charged AFTER UPDATE OF status ON job
WHEN old.status = 'queued' AND new.status = 'cancelled'
BEGIN
  UPDATE charge SET images = max(0, images - new.outputs)
  WHERE token = new.token AND day = new.created / 86400;
END;
`;
