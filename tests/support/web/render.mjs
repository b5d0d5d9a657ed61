// Markdown on standard input becomes the HTML of a comment on standard output, as GitHub renders one.
import {readFileSync} from 'node:fs'
import {micromark} from 'micromark'
import {gfm, gfmHtml} from 'micromark-extension-gfm'

const options = {allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()]}
const html = micromark(readFileSync(0, 'utf8'), options)
// in comments, unlike in files, the end of a line is kept
const kept = (paragraph) => paragraph.replace(/(?<!<br \/>)\n/g, '<br />\n')
process.stdout.write(html.replace(/<p>[\s\S]*?<\/p>/g, kept))
