/** How often a request is sent again. A service that is restarted or upgraded is back within this time. */
export const RETRIES = 30;

export const RETRY_MS = 1000;
