import { withOwnTexts } from '../../text/own-texts.ts';
import usage from './usage.json';

/** Returns a text about the usage or a text of the whole page, like `text`. */
export const text = withOwnTexts<keyof typeof usage>(usage);
