/**
 * The active jobs of a token, found without reading those of others: they end when the token is removed. The token of a job
 * is its identity in the tokens file, which is its name where a token has no id.
 */
export const ACTIVE_TOKEN = `
CREATE INDEX job_active_token ON job (token, seq) WHERE completed IS NULL;
`;
