import { constants, setPriority } from 'node:os';
import { ATTACKS, type AttackName } from './attacks.ts';

/**
 * A program that attacks a bridge: `node main.js ATTACK PORT TOKEN SECONDS`. It writes the number of replies by status to
 * standard output as JSON. It is a separate process because inside the test it would slow down the client that measures
 * times.
 */
const [name = '', port = '', token = '', seconds = ''] = process.argv.slice(2);
// Real attackers compute on their own machines, so this process must not take CPU time from the bridge.
setPriority(constants.priority.PRIORITY_LOW);
const attack = ATTACKS[name as AttackName];
const signal = AbortSignal.timeout(Number(seconds) * 1000);
const counts = await attack({ host: '127.0.0.1', port: Number(port), token }, signal);
process.stdout.write(JSON.stringify(counts), () => process.exit(0));
