import { withOwnTexts } from '../text/own-texts.ts';
import money from './money.json';

/** Returns a text about money or a text of the whole page, like `text`. The texts about money are loaded with the parts that show them. */
export const text = withOwnTexts<keyof typeof money>(money);
