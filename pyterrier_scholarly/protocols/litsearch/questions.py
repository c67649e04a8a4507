"""The sources of LitSearch's questions: a language model, and authors [Ajith et al. 2024, 2.1]."""

from ..annotation import Invitation
from ..prompts import Demonstration, QuestionPrompt

_PERSUASION = Demonstration(
    text=(
        "We argue there are two underlying motivations for the ad text generation task, especially "
        "for product descriptions. Application-wise, the utility is to improve the seller "
        "experience for e-commerce services when registering a new product. The generated "
        "descriptions can reduce the need for manual data entry, and potentially improve sales due "
        "to better descriptions (in terms of attractiveness, structure, and persuasiveness). "
        "Research-wise, ad text generation is an under-studied task, and arguably a good proxy for "
        "persuasive text generation {cite_016}{cite_017}{cite_018}{cite_019}."
    ),
    titles={
        "cite_016": "Is this post persuasive? ranking argumentative comments in online forum",
        "cite_017": "On the role of discourse relations in persuasive texts",
        "cite_018": "Measuring online debaters’ persuasive skill from text over time",
        "cite_019": "Analyzing the Persuasive Effect of Style in News Editorial Argumentation",
        "cite_020": "Persuaide! an adaptive persuasive text generation system for fashion domain",
        "cite_021": "A statistical framework for product description generation",
        "cite_022": "SILVER: Generating persuasive Chinese product pitch",
    },
    questions=(
        (
            "I want to read some papers that try to study and quantify how persuasive text can be. "
            "I’m coming at this from an applications-perspective, as I’m interested in using these "
            "insights for product development. Could you give me a list of papers to read?",
            ("cite_016", "cite_017", "cite_018", "cite_019"),
        ),
        (
            "Has anyone looked at automating advertisement text generation specifically for "
            "fashion items?",
            ("cite_020",),
        ),
        (
            "I’m thinking about going into the computer-retail business and I’m wondering if it’s "
            "possible to generate persuasive text to sell more computers?",
            ("cite_021",),
        ),
        (
            "Could you recommend some readings for articles that generate persuasive text in "
            "Chinese aimed at advertising?",
            ("cite_022",),
        ),
    ),
)

#: the prompt for questions about a paragraph that cites papers
QUESTIONS = {
    "litsearch": QuestionPrompt(
        source=(
            "Ajith et al. 2024, LitSearch, Table 12, whose second demonstration is not printed: "
            "here is one. Line breaks between the parts, temperature and tokens are not printed."
        ),
        instruction=(
            "I will provide you with a excerpt from an scientific article that cites various "
            "papers in the positions {cite_001}, {cite_002}, etc. I would like you to write "
            "*general* questions about the academic literature using this paragraph, which will be "
            "answered with the corresponding citations. Here are the constraints you must follow:\n"
            "(1) The questions should make sense and be interesting without reading the paragraph. "
            "The questions should be general, and you should only use the paragraph to find the "
            "ground-truth answer.\n"
            "(2) Try to ask questions which cover as many citations as possible and are as "
            "detailed as possible. Pack as much information into the question as you can.\n"
            "(3) If the context is not clear, skip the citation. Make sure that every question is "
            "of the highest quality, as these questions will be used for important work concerning "
            "information extraction from the scientific literature.\n"
            "(4) The answer should ONLY contain the citation key."
        ),
        demonstrations=(_PERSUASION,),
    ),
}

#: the e-mail to authors, and the form for questions about their papers
AUTHOR_QUESTIONS = {
    "litsearch": Invitation(
        source=(
            "Ajith et al. 2024, LitSearch, tables 10 and 11; {{names}} and {{institutions}} are "
            "redacted there. The form is Table 11's, a Google Form."
        ),
        email=(
            "Hi {{annotator name}},\n"
            "We hope this email finds you well!\n"
            "First, congrats on your paper’s acceptance to {{conference name}}! We are {{names}} "
            "from {{institutions}} who are working on constructing a new challenging retrieval "
            "benchmark where the task is to retrieve relevant research papers given a research "
            "query. Would you be willing to dedicate 2 minutes to write a literature-search "
            "question about your {{conference name}} paper? Here’s the link to the google form: "
            "{{link}}.\n"
            "Your contribution will help us build better, more challenging evaluations for large "
            "language models. We will make sure to list you as a contributor to our benchmark "
            "(unless you prefer otherwise). Thank you!\n"
            "Best,\n"
            "{{author 1}}\n"
            "{{author 2}}"
        ),
        form=(
            "Dear {{author name}},\n"
            "Thanks for contributing to our literature-search question collection effort!\n"
            "We are trying to create a new challenging retrieval benchmark where the task is to "
            "retrieve relevant research papers given a research query. For example, the research "
            'query "Which paper first found that large language models can do in-context '
            'learning?" should retrieve the GPT-3 paper. We could use your help for creating such '
            "a query that should be answered by your own paper!\n"
            "Could you provide one high-quality, literature-search-type query about your paper "
            "that you think would be challenging even for state-of-the-art retrieval systems? "
            "Please make sure to follow these guidelines when writing your query. Your query must "
            "be\n"
            "(1) Realistic: It should be plausible that a researcher working in a related field "
            "may ask this exact question. Do not ask a question that puts too many unrealistic "
            'constraints (such as "What work that uses the NaturalQuestions dataset trains for 15 '
            'epochs and uses a learning rate of 3e-5?").\n'
            "(2) Specific: Your query should be answered by/correspond to one particular "
            "(representative) paper or a small number of papers. Do not ask an overly broad "
            'question like "What are some multimodal models?" Instead, you can ask "Which '
            'multimodal model was the first to use interleaved image and text data?"\n'
            "(3) Challenging: Our goal is to collect a set of queries that are extremely "
            "challenging even for SOTA retrievers today. Make sure not to submit a query that can "
            'easily be answered via keyword matching or a Google search like "Which paper proposed '
            'masked language modeling?" (BERT). Instead, you can use the following formats to make '
            "the question more challenging:\n"
            '(a) Asking a detailed question that the abstract does not cover: "Which text '
            'pre-training paper first used the data mixture of wikipedia and bookscorpus?" (BERT)\n'
            '(b) Rephrasing (reducing word overlap to the paper): "Is there such a machine '
            "learning dataset, where for some questions, there is no correct answer and model "
            'should abstain?" (SQuAD v2)\n'
            '(c) Asking about the main technique innovation: "Is there any paper that combines '
            'distillation and structured pruning for language models?" (CoFi pruning)\n'
            "Thank you for your contribution! We will make sure that:\n"
            "- Your name will be credited in our paper unless you choose otherwise.\n"
            "- We will make the dataset available for open-source development."
        ),
    ),
}
