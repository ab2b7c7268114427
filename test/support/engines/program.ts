import { startPostgres } from './postgres-server.ts';
import { startS3Gateway } from './s3-gateway.ts';

// Starts both servers, prints the ways to them as one line of JSON, and stays. For tests that kill the process.
console.log(JSON.stringify({ postgres: await startPostgres(), s3: await startS3Gateway() }));
setInterval(() => {}, 60_000);
