import job from './job.json';
import { withOwnTexts } from './own-texts.ts';

/** Returns a text of the job view or of the whole page, like `text`. The texts of the job view are loaded with the job view. */
export const text = withOwnTexts<keyof typeof job>(job);
