"""Report to Markdown, console, HTML and JUnit; escapes what others wrote."""
